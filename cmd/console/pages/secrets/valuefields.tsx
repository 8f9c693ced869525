import { FileTrigger } from 'react-aria-components/FileTrigger';
import { encoded, generated } from '../../client/values.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/fields/textfield.js';

/** A value: a text, or a file instead of it. */
export interface Content {
  readonly value: string;
  readonly file?: File | undefined;
}

export const NO_CONTENT: Content = { value: '' };

export const isEmpty = ({ value, file }: Content): boolean => value === '' && file === undefined;

export const bytesIn = async ({ value, file }: Content): Promise<Uint8Array<ArrayBuffer>> =>
  file === undefined ? encoded(value) : new Uint8Array(await file.arrayBuffer());

export interface Props {
  readonly content: Content;
  readonly autoFocus?: boolean;
  readonly onChange: (content: Content) => void;
}

/** A value that is typed, generated without being shown, or read from a file. */
export function ValueFields({ content: { value, file }, autoFocus = false, onChange }: Props) {
  const texts = useTexts();
  return (
    <>
      <TextField
        label={texts.secrets.value}
        type="password"
        value={value}
        onChange={(text) => onChange({ value: text })}
        autoFocus={autoFocus}
        mono
      />
      <div className="bar">
        <Button onPress={() => onChange({ value: generated() })}>{texts.secrets.generate}</Button>
        <FileTrigger onSelect={(files) => onChange({ value: '', file: files?.[0] })}>
          <Button>{texts.secrets.upload}</Button>
        </FileTrigger>
        <span className="hint" role="status">
          {file?.name}
        </span>
      </div>
    </>
  );
}
