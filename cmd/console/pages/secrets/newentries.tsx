import { isEntryName } from '../../client/names.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/fields/textfield.js';
import { bytesIn, isEmpty, NO_CONTENT, ValueFields, type Content } from './valuefields.js';

/** An entry of a new secret, as it is typed. */
export interface NewEntry {
  readonly name: string;
  readonly content: Content;
}

export const NO_ENTRY: NewEntry = { name: '', content: NO_CONTENT };

/** An entry of which nothing is typed is left out. */
const isBegun = ({ name, content }: NewEntry): boolean => name !== '' || !isEmpty(content);

/** Whether each entry has a name of its own and a value. */
export function areWhole(entries: readonly NewEntry[]): boolean {
  const begun = entries.filter(isBegun);
  const isWhole = begun.every(({ name, content }) => name !== '' && isEntryName(name) && !isEmpty(content));
  return isWhole && new Set(begun.map(({ name }) => name)).size === begun.length;
}

export const valuesOf = async (
  entries: readonly NewEntry[],
): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> =>
  new Map(
    await Promise.all(
      entries
        .filter(isBegun)
        .map(async ({ name, content }): Promise<[string, Uint8Array<ArrayBuffer>]> => [
          name,
          await bytesIn(content),
        ]),
    ),
  );

export interface Props {
  readonly entries: readonly NewEntry[];
  readonly errors: readonly string[];
  readonly onChange: (entries: readonly NewEntry[]) => void;
}

/** The entries of a new secret. */
export function NewEntries({ entries, errors, onChange }: Props) {
  const { secrets: texts } = useTexts();
  const set = (at: number, entry: NewEntry): void => onChange(entries.with(at, entry));
  return (
    <fieldset className="nested">
      <legend className="label">{texts.entries}</legend>
      {entries.map((entry, at) => {
        const isTwice = entry.name !== '' && entries.findIndex(({ name }) => name === entry.name) < at;
        return (
          <div key={at} className="new-entry">
            <TextField
              label={texts.entryName}
              value={entry.name}
              onChange={(name) => set(at, { ...entry, name })}
              errors={
                !isEntryName(entry.name)
                  ? [texts.entrySigns]
                  : isTwice
                    ? [texts.entryTwice]
                    : at === 0
                      ? errors
                      : []
              }
              mono
            />
            <ValueFields content={entry.content} onChange={(content) => set(at, { ...entry, content })} />
          </div>
        );
      })}
      <p className={areWhole(entries) ? 'visually-hidden' : 'hint'} role="status">
        {areWhole(entries) ? '' : texts.wholeEntries}
      </p>
      <Button look="quiet" onPress={() => onChange([...entries, NO_ENTRY])}>
        {texts.anotherEntry}
      </Button>
    </fieldset>
  );
}
