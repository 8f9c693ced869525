import { boolean } from '../../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { shownName } from './values.js';

/** Options of the console. */
export const CONSOLE_FLAGS = {
  console: defaulted({
    name: 'console',
    value: '[true|false]',
    description: 'Serve the web console at /console and, to everybody, the documentation at /docs.',
    fallback: 'true',
    parse: boolean,
  }),
  serverName: define({
    name: 'server-name',
    value: '<name>',
    description:
      'Name of this server in the web console, such as "Staging", on every page; the colour of the console follows from it. Everybody who opens the login page sees it. (default: the host of the address that the browser shows)',
    parse: shownName,
  }),
} as const;
