import { useState } from 'react';
import { isoOf, LAST_LOCAL, localText } from '../../client/localtime.js';
import { NativeField, type FieldProps } from '../../ui/fields/nativefield.js';

export interface Props extends FieldProps {
  /** RFC 3339; empty: none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A time in the time zone of the user, entered with the browser's own control. */
export function TimeField({ value, onChange, ...field }: Props) {
  // A local time that does not exist, or exists twice, because of daylight saving time is shown as it was typed.
  const [typed, setTyped] = useState('');
  const shown = value !== '' && isoOf(typed) === value ? typed : localText(new Date(value));
  return (
    <NativeField {...field}>
      {(attributes) => (
        <input
          {...attributes}
          type="datetime-local"
          max={LAST_LOCAL}
          step="any"
          value={shown}
          onChange={({ target }) => {
            setTyped(target.value);
            onChange(isoOf(target.value));
          }}
        />
      )}
    </NativeField>
  );
}
