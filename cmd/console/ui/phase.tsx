const LOOKS: Readonly<Record<string, string>> = { Ready: 'enabled', Failed: 'failed', Terminating: 'ended' };

/** The phase of an object, and the reason that the server gives. */
export const Phase = ({ phase, reason = '' }: { readonly phase: string; readonly reason?: string }) => (
  <>
    <span className={`badge ${LOOKS[phase] ?? 'disabled'}`}>{phase || 'Pending'}</span>{' '}
    {reason !== '' && <span className="hint">{reason}</span>}
  </>
);
