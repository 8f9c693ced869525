import { useId, type ReactNode } from 'react';

export interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** The errors of the value, from the server. */
  readonly errors?: readonly string[];
}

/** The attributes that connect a control of the browser with its label, hint and errors. */
interface ControlAttributes {
  readonly id: string;
  readonly className: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

export interface Props extends FieldProps {
  readonly children: (attributes: ControlAttributes) => ReactNode;
}

/** A label, a control of the browser, its hint, and the errors of its value. */
export function NativeField({ label, hint, errors = [], children }: Props) {
  const id = useId();
  const isInvalid = errors.length > 0;
  const described = [hint !== undefined && `${id}-hint`, isInvalid && `${id}-fault`].filter(Boolean);
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        className: 'input',
        'aria-invalid': isInvalid,
        'aria-describedby': described.join(' ') || undefined,
      })}
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {isInvalid && (
        <p className="fault" id={`${id}-fault`}>
          {errors.join(' ')}
        </p>
      )}
    </div>
  );
}
