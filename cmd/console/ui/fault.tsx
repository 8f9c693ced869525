import { ApiError } from '../client/status.js';
import { useTexts } from '../texts/texts.js';
import { messageOf } from '../texts/messageof.js';

/** An error, with the message of the server. Causes of fields that the form does not show are listed below. */
export function Fault({
  error,
  shown = [],
}: {
  readonly error: unknown;
  readonly shown?: readonly string[];
}) {
  const texts = useTexts();
  if (error === undefined) return null;
  if (error instanceof ApiError && error.code === 409 && error.reason === 'Conflict')
    return (
      <div role="alert" className="notice bad">
        <strong>{texts.conflict.title}</strong>
        <p>{texts.conflict.text}</p>
      </div>
    );
  const causes = error instanceof ApiError ? error.causes : [];
  const rest = causes.filter(({ field = '' }) => !shown.some((one) => field.startsWith(one)));
  // What stands beside the fields is said once; screen readers are told that it is there.
  const isShown = causes.length > 0 && rest.length === 0;
  return (
    <div role="alert" className={isShown ? 'visually-hidden' : 'notice bad'}>
      <p>{messageOf(error, texts)}</p>
      {rest.length > 1 && (
        <ul>
          {rest.map(({ field, message: text }) => (
            <li key={`${field} ${text}`}>
              <code>{field}</code>: {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** An error of a read. A hint, and no fault, tells that the user may not read something. */
export function ReadFault({ error }: { readonly error: unknown }) {
  const { state } = useTexts();
  const isRefused = error instanceof ApiError && error.code === 403;
  return isRefused ? <p className="hint">{state.refused}</p> : <Fault error={error ?? undefined} />;
}
