"""A plot with its data. Needs Python 3 and matplotlib: python3 THIS_FILE PICTURE.png"""
import datetime
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogFormatter, MaxNLocator

