import { useId } from 'react';

export interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
  readonly hint?: string;
  /** What is wrong with the choice, as the server says. */
  readonly errors?: readonly string[];
}

/** One of few: a select of the browser, which every phone and reader knows. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, value, options, onChange, hint, errors = [] } = props;
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, errors.length > 0 && `${id}-fault`].filter(Boolean);
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className="input"
        value={value}
        aria-describedby={described.join(' ') || undefined}
        aria-invalid={errors.length > 0}
        onChange={(event) => onChange(event.target.value as Value)}
      >
        {Object.entries<string>(options).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {errors.length > 0 && (
        <p className="fault" id={`${id}-fault`}>
          {errors.join(' ')}
        </p>
      )}
    </div>
  );
}

export type RadiosProps<Value extends string> = Pick<ChoiceProps<Value>, 'label' | 'options' | 'onChange'> & {
  /** Undefined: none is chosen yet. */
  readonly value: Value | undefined;
};

/** One of few, all in sight. */
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
            onChange={() => onChange(option as Value)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
