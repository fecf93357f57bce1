// modern_tools.mjs on stdio.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { modernServer } from './modern_tools.mjs';

serveStdio(modernServer);
