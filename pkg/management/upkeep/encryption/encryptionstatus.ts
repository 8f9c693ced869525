/** The output of `encryption status`. Pure. */
import { keyNameOf, textOfHeader } from '../../../storage/encryption/envelope.js';
import type { Keyring } from '../../../storage/encryption/interface.js';
import type { ServerEntry } from '../../../storage/encryption/serversrecord.js';
import type { Survey } from '../../../storage/encryption/survey.js';
import { DAMAGED } from '../../../storage/interface.js';
import { aligned } from '../../../apimachinery/columns.js';
import { recordsText } from '../counted.js';
import { SECRET_RECORDS } from '../../secretrecords.js';

/** The maximum number of records that are listed. */
const MAX_SHOWN = 100;

/** The reasons for records without the name of a key. */
const WHY: Readonly<Record<string, string>> = { [DAMAGED]: 'damaged', identity: 'not encrypted' };

/**
 * @param place the source of the keys, for messages
 */
export function statusText(survey: Survey, keyring: Keyring, place: string): string {
  const { undecryptable, stale, waiting } = survey;
  const lines = [...tableOf(survey, keyring, place), ''];
  const encrypts = keyring.writers.length > 0;
  if (stale === 0) lines.push(`All is ${encrypts ? 'encrypted ' : ''}as it would be written now.`);
  else if (waiting > 0)
    lines.push(`${recordsText(waiting)} to be ${encrypts ? 'encrypted with the first key' : 'decrypted'}.`);
  const plain = SECRET_RECORDS.inPlainText(keyring);
  if (plain.length > 0)
    lines.push('Not encrypted, as their first provider is identity:', ...plain.map((one) => `  ${one}`));
  lines.push(...serverLines(survey));
  if (undecryptable.length > 0) {
    lines.push(`${recordsText(undecryptable.length)} cannot be read:`);
    for (const { key, keyName } of undecryptable.slice(0, MAX_SHOWN))
      lines.push(`  ${key} (${WHY[keyName] ?? `key ${keyName}`})`);
    if (undecryptable.length > MAX_SHOWN) lines.push(`  and ${undecryptable.length - MAX_SHOWN} more`);
  }
  return `${lines.join('\n')}\n`;
}

function tableOf({ byHeader, plain, used }: Survey, keyring: Keyring, place: string): string[] {
  const writers = keyring.writers.map(textOfHeader);
  const headers = [...new Set([...writers, ...used, ...byHeader.keys(), ...keyring.readers])];
  const rows = headers.map((header) => {
    const records = byHeader.get(header) ?? 0;
    return [nameOf(header), providerOf(header), String(records), useOf(header)];
  });
  if (plain > 0) rows.push(['<none>', 'identity', String(plain), 'to be encrypted']);
  return aligned([['KEY', 'PROVIDER', 'RECORDS', 'USE'], ...rows]);

  function useOf(header: string): string {
    if (keyring.reader(header) === undefined) return `not in ${place}`;
    if (writers.includes(header))
      return used.includes(header) ? 'encrypts' : 'waits for all servers to have it';
    return used.includes(header) || byHeader.has(header) ? 'decrypts' : 'not needed, may go';
  }
}

function serverLines({ servers, used }: Survey): string[] {
  if (servers.length === 0) return ['No server has the store open.'];
  const rows = servers.map((one) => [
    one.name,
    one.writes.map(nameOf).join(','),
    lackingOf(one, servers, used),
  ]);
  return aligned([['SERVER', 'ENCRYPTS WITH', 'LACKS'], ...rows]);
}

/** The keys that other servers want to encrypt with, and this one cannot decrypt with. */
function lackingOf({ reads }: ServerEntry, servers: readonly ServerEntry[], used: readonly string[]): string {
  const wanted = new Set([...used, ...servers.flatMap(({ wants }) => wants)]);
  const lacking = [...wanted].filter((header) => !reads.includes(header));
  return lacking.length === 0 ? '<none>' : lacking.map(nameOf).join(',');
}

const nameOf = (header: string): string => keyNameOf(header) ?? '<damaged>';
const providerOf = (header: string): string => header.split(':')[2] ?? '<damaged>';
