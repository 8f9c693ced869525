import { useId } from 'react';

export interface Props {
  readonly label: string;
  /** RFC 3339; empty: none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly errors: readonly string[];
}

/** A time of the person's own time zone, by the browser's own control. */
export function TimeField({ label, value, onChange, errors }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className="input"
        type="datetime-local"
        value={localOf(value)}
        aria-invalid={errors.length > 0}
        aria-describedby={errors.length > 0 ? `${id}-fault` : undefined}
        onChange={({ target }) => onChange(isoOf(target.value))}
      />
      {errors.length > 0 && (
        <p className="fault" id={`${id}-fault`}>
          {errors.join(' ')}
        </p>
      )}
    </div>
  );
}

const isoOf = (local: string): string => {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().replace('.000Z', 'Z');
};

function localOf(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
    .toISOString()
    .slice(0, 'yyyy-mm-ddThh:mm'.length);
}
