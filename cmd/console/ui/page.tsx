import { useEffect, useRef, type ReactNode } from 'react';
import { useTexts } from '../texts/texts.js';

export interface Props {
  readonly title: string;
  /** Shown beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/**
 * A page. Its title is also the title of the window, and is announced to screen readers when the page opens. It
 * contains no secret value.
 */
export function Page({ title, actions, children }: Props) {
  const texts = useTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${texts.app}`;
  }, [title, texts]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}
