import { useId } from 'react';
import { NativeField, type FieldProps } from './nativefield.js';

export interface ChoiceProps<Value extends string> extends FieldProps {
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

function isOneOf<Value extends string>(
  options: Readonly<Record<Value, string>>,
  option: string,
): option is Value {
  return Object.hasOwn(options, option);
}

/** A select element of the browser, for a few options. */
export function Choice<Value extends string>({ value, options, onChange, ...field }: ChoiceProps<Value>) {
  return (
    <NativeField {...field}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          onChange={({ target }) => isOneOf(options, target.value) && onChange(target.value)}
        >
          {Object.entries<string>(options).map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </NativeField>
  );
}

export type RadiosProps<Value extends string> = Pick<ChoiceProps<Value>, 'label' | 'options' | 'onChange'> & {
  /** Undefined: no option is selected yet. */
  readonly value: Value | undefined;
};

/** Radio buttons, for a few options. */
export function Radios<Value extends string>({ label, value, options, onChange }: RadiosProps<Value>) {
  const name = useId();
  return (
    <fieldset className="radios">
      <legend className="label">{label}</legend>
      {Object.entries<string>(options).map(([option, text]) => (
        <label key={option}>
          <input
            type="radio"
            name={name}
            checked={option === value}
            onChange={() => isOneOf(options, option) && onChange(option)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
