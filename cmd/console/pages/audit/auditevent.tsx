import { whatOf, whoOf, type AuditEvent } from '../../client/audit.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/copybutton.js';
import { Dialog } from '../../ui/dialog.js';
import { Facts } from '../../ui/facts.js';
import { ObjectLink } from '../object/objectlink.js';
import { Moment } from './moment.js';

/** All fields of one event. */
export function AuditEventDialog({
  event,
  onClose,
}: {
  readonly event: AuditEvent;
  readonly onClose: () => void;
}) {
  const { audit: texts, actions } = useTexts();
  const { objectRef: { resource = '', namespace = '', name = '' } = {}, responseStatus = {} } = event;
  const json = JSON.stringify(event, null, 2);
  return (
    <Dialog title={`${event.verb ?? ''} ${whatOf(event)}`} onClose={onClose}>
      <Facts
        facts={[
          [texts.columns.when, <Moment key="when" at={event.stageTimestamp} />],
          [texts.columns.user, whoOf(event)],
          [
            texts.fields.name,
            name === '' ? (
              ''
            ) : (
              <ObjectLink key="name" resource={resource} namespace={namespace} name={name} />
            ),
          ],
          [texts.fields.namespace, namespace],
          [texts.columns.code, responseStatus.code],
          [texts.message, responseStatus.message],
          [texts.columns.from, event.sourceIPs?.join(', ')],
          [texts.userAgent, event.userAgent],
          [texts.fields.auditID, event.auditID],
        ]}
      />
      <h3>{texts.event}</h3>
      <pre className="event" tabIndex={0}>
        {json}
      </pre>
      <div className="actions">
        <CopyButton text={() => json} label={`${actions.copy}: ${texts.event}`} />
        <Button onPress={onClose}>{actions.close}</Button>
      </div>
    </Dialog>
  );
}
