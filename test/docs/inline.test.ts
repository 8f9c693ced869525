/** Commands that pages name inside their sentences and tables: each is one of its program, and takes the flags that it has there. */
import { expect, test } from '@jest/globals';
import { PAGES, readPage } from './page.js';

const FLAGS_OF_SERVER = readPage('docs/reference/server-flags.md');
const [FLAGS_OF_ALL = '', ...PARTS] = ['commands', 'server-commands']
  .map((name) => readPage(`docs/reference/${name}.md`))
  .join('\n')
  .split(/^## /m);
/** What the generated reference says of each command, by its name, such as `platform get secret`. */
const REFERENCE = new Map(PARTS.map((part) => [part.split('\n', 1)[0] ?? '', part]));

interface Named {
  readonly page: string;
  readonly span: string;
}

const SPANS: readonly Named[] = PAGES.filter((page) => !page.startsWith('docs/reference/')).flatMap((page) =>
  [
    ...readPage(page)
      .replaceAll(/^ *```[^]*?^ *```$/gm, '')
      .matchAll(/`((?:platform|management-apiserver)\s[^`]+)`/g),
  ].map(([, span = '']) => ({ page, span: span.replaceAll(/\s+/g, ' ') })),
);

/** What is wrong with a command; undefined: nothing. */
function wrongWith(command: string): string | undefined {
  const words = command.split(' -- ', 1)[0]?.split(' ') ?? [];
  const end = words.findIndex((word, at) => at > 0 && !/^[a-z][a-z-]*$/.test(word));
  const plain = (end < 0 ? words : words.slice(0, end)).map((word) => word.replace(/(?<=[a-z]{3})s$/, ''));
  const names = [...REFERENCE.keys()];
  const known = plain.findLast((_word, at) =>
    names.some((name) => `${name} `.startsWith(`${plain.slice(0, at + 1).join(' ')} `)),
  );
  const name = plain.slice(0, plain.indexOf(known ?? '') + 1).join(' ');
  if (plain.length > 1 && name === plain[0]) return `${words[0]} has no command ${words[1]}`;
  const parts = names.filter((one) => `${one} `.startsWith(`${name} `)).map((one) => REFERENCE.get(one));
  const texts = [FLAGS_OF_ALL, ...parts, ...(plain[0] === 'platform' ? [] : [FLAGS_OF_SERVER])].join('\n');
  const flags = words.map((word) => /^--[a-z-]+/.exec(word)?.[0]).filter((flag) => flag !== undefined);
  const absent = flags.find((flag) => flag !== '--help' && !new RegExp(`${flag}(?![a-z-])`).test(texts));
  return absent && `${name} has no ${absent}`;
}

test('each is a command, with flags that it takes', () => {
  expect(SPANS.length).toBeGreaterThan(40);
  const wrong = SPANS.map(({ page, span }) => [page, span, wrongWith(span)]).filter(
    ([, , why]) => why !== undefined,
  );
  expect(wrong).toEqual([]);
});

test.each([
  ['platform list secrets', undefined],
  ['platform use space S --project P --direct', undefined],
  ['management-apiserver backup create DIRECTORY/ --retain 7', undefined],
  ['platform apply', 'platform has no command apply'],
  ['platform get secret NAME --directly', 'platform get secret has no --directly'],
  ['management-apiserver restore --point-in 1', 'management-apiserver restore has no --point-in'],
])('%s: %s', (command, why) => expect(wrongWith(command)).toBe(why));
