import { defaulted } from './flag.js';
import { boolean, duration } from './flagvalues.js';

/** Options of the console. */
export const CONSOLE_FLAGS = {
  console: defaulted({
    name: 'console',
    value: '[true|false]',
    description: 'Serve the console, for browsers, at /console.',
    fallback: 'true',
    parse: boolean,
  }),
  consoleSessionTtl: defaulted({
    name: 'console-session-ttl',
    value: '<duration>',
    description:
      'How long a browser stays logged in to the console; less where the access key ends before that it logged in with.',
    fallback: '8h0m0s',
    parse: duration,
  }),
} as const;
