"""A plot with its data. Needs Python 3 and matplotlib: python3 THIS_FILE PICTURE.png"""
import datetime
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread would reserve memory
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogFormatter, MaxNLocator, StrMethodFormatter

