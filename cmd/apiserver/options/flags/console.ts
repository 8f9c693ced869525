import { boolean } from '../../../../pkg/apimachinery/flagvalues.js';
import { defaulted } from './flag.js';

/** Options of the console and the documentation. */
export const CONSOLE_FLAGS = {
  console: defaulted({
    name: 'console',
    value: '[true|false]',
    description: 'Serve the web console at /console.',
    fallback: 'true',
    parse: boolean,
  }),
  docs: defaulted({
    name: 'docs',
    value: '[true|false]',
    description: 'Serve the documentation at /docs, to everybody.',
    fallback: 'true',
    parse: boolean,
  }),
} as const;
