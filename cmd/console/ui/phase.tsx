const LOOKS: Readonly<Record<string, string>> = { Ready: 'enabled', Failed: 'failed', Terminating: 'ended' };

/** How far something is, and why, in the server's words. */
export const Phase = ({ phase, reason = '' }: { readonly phase: string; readonly reason?: string }) => (
  <>
    <span className={`badge ${LOOKS[phase] ?? 'disabled'}`}>{phase || 'Pending'}</span>{' '}
    {reason !== '' && <span className="hint">{reason}</span>}
  </>
);
