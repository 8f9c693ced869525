import { boolean } from '../../../pkg/apimachinery/flagvalues.js';
import { defaulted } from './flag.js';
import { duration } from './flagvalues.js';

/** Options of the console and the documentation. */
export const CONSOLE_FLAGS = {
  console: defaulted({
    name: 'console',
    value: '[true|false]',
    description: 'Serve the web console at /console.',
    fallback: 'true',
    parse: boolean,
  }),
  consoleSessionTtl: defaulted({
    name: 'console-session-ttl',
    value: '<duration>',
    description:
      'Maximum lifetime of a console session. A session also ends when the access key of its login expires.',
    fallback: '8h0m0s',
    parse: duration,
  }),
  docs: defaulted({
    name: 'docs',
    value: '[true|false]',
    description: 'Serve the documentation at /docs.',
    fallback: 'true',
    parse: boolean,
  }),
} as const;
