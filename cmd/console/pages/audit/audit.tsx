import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { READ_AUDIT, whatOf, whoOf, type AuditEvent } from '../../client/audit.js';
import { ABOUT, type AuditFilters } from '../../client/auditfilters.js';
import { auditCommand } from '../../client/commands/auditcommand.js';
import { useMayKnown } from '../../client/reviews.js';
import type { Texts } from '../../texts/en.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Commands } from '../../ui/commands.js';
import { Fault } from '../../ui/fault.js';
import { VirtualRows, type Column } from '../../ui/lists/virtualrows.js';
import { Page } from '../../ui/page.js';
import { AuditEventDialog } from './auditevent.js';
import { AuditForm } from './auditform.js';
import { Moment } from './moment.js';
import { type NumberedEvent, useAuditSearch } from './useauditsearch.js';

/** The audit log of the server that responds. */
export function AuditPage() {
  const { audit: texts, state } = useTexts();
  const may = useMayKnown(READ_AUDIT);
  return (
    <Page title={texts.title}>
      {may === undefined && <p className="notice">{state.loading}</p>}
      {may === false && <p className="empty">{texts.mayNot}</p>}
      {may === true && <AuditLog />}
    </Page>
  );
}

function AuditLog() {
  const { audit: texts } = useTexts();
  const given = useSearch({ from: '/audit' });
  const filters: AuditFilters = Object.keys(given).length === 0 ? { about: 'Changes' } : given;
  const navigate = useNavigate();
  const found = useAuditSearch(filters);
  const { log } = found.answer ?? {};
  const search = (wanted: AuditFilters): void => {
    if (JSON.stringify(wanted) === JSON.stringify(given)) found.again();
    else void navigate({ to: '/audit', search: wanted });
  };
  if (log === 'StandardOutput') return <p className="empty">{texts.toOutput}</p>;
  if (log === 'None') return <p className="empty">{texts.noLog}</p>;
  return (
    <>
      <Questions filters={filters} />
      <AuditForm key={JSON.stringify(given)} filters={given} error={found.error} onSearch={search} />
      <Fault error={found.error} shown={['spec.']} />
      <Events found={found} />
      <Commands lines={[auditCommand(filters)]} />
    </>
  );
}

/** What people ask first, with the other filters as they are. */
function Questions({ filters: { about, ...others } }: { readonly filters: AuditFilters }) {
  const { audit: texts } = useTexts();
  return (
    <p className="actions">
      {ABOUT.map((one) => (
        <Link
          key={one}
          to="/audit"
          search={{ ...others, about: one }}
          className="button"
          aria-current={one === (about ?? 'All') ? 'true' : undefined}
        >
          {texts.about[one]}
        </Link>
      ))}
    </p>
  );
}

function Events({ found }: { readonly found: ReturnType<typeof useAuditSearch> }) {
  const texts = useTexts();
  const { events, answer, searching, hasMore, more, error } = found;
  const [open, setOpen] = useState<AuditEvent>();
  const columns = useMemo(() => columnsOf(texts, setOpen), [texts]);
  const { server = '', searchedTo } = answer ?? {};
  return (
    <>
      <p className="hint" role="status">
        {searching ? texts.audit.searching : answer && texts.audit.count(events.length, server)}{' '}
        {hasMore && searchedTo !== undefined && (
          <>
            {texts.audit.searchedTo} <Moment at={searchedTo} />
          </>
        )}
      </p>
      {events.length > 0 && (
        <div className="audited">
          <VirtualRows
            label={texts.audit.title}
            columns={columns}
            items={events}
            keyOf={keyOf}
            onEnd={more}
          />
        </div>
      )}
      {events.length === 0 && !searching && error === undefined && (
        <p className="empty">{hasMore ? texts.audit.noneYet : texts.audit.none}</p>
      )}
      {hasMore && (
        <div className="actions">
          <Button onPress={more} isDisabled={searching}>
            {texts.audit.older}
          </Button>
        </div>
      )}
      {open !== undefined && <AuditEventDialog event={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

const keyOf = ({ key }: NumberedEvent): string => key;

const columnsOf = (
  { audit: { columns } }: Texts,
  open: (event: AuditEvent) => void,
): readonly Column<NumberedEvent>[] => [
  {
    name: 'what',
    label: columns.what,
    cell: ({ event }) => (
      <button type="button" className="link" onClick={() => open(event)}>
        {event.verb} {whatOf(event)}
      </button>
    ),
  },
  { name: 'user', label: columns.user, cell: ({ event }) => whoOf(event) },
  {
    name: 'when',
    label: columns.when,
    cell: ({ event }) => <Moment at={event.stageTimestamp} />,
  },
  {
    name: 'code',
    label: columns.code,
    cell: ({ event }) => event.responseStatus?.code,
  },
  {
    name: 'from',
    label: columns.from,
    cell: ({ event }) => event.sourceIPs?.join(', '),
  },
];
