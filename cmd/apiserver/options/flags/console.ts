import { boolean } from '../../../../pkg/apimachinery/flagvalues.js';
import { defaulted } from './flag.js';

/** The option of the console. */
export const CONSOLE_FLAGS = {
  console: defaulted({
    name: 'console',
    value: '[true|false]',
    description: 'Serve the web console at /console and, to everybody, the documentation at /docs.',
    fallback: 'true',
    parse: boolean,
  }),
} as const;
