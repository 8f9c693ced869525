import type { ReactNode } from 'react';
import { useId } from 'react';

export interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** What is wrong with the value, as the server says. */
  readonly errors?: readonly string[];
}

/** What a control of the browser needs to be named, described and marked by its field. */
export interface ControlAttributes {
  readonly id: string;
  readonly className: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

export interface Props extends FieldProps {
  readonly children: (attributes: ControlAttributes) => ReactNode;
}

/** A label, a control of the browser, its hint, and what is wrong with its value. */
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
        ...{ id, className: 'input', 'aria-invalid': isInvalid },
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
