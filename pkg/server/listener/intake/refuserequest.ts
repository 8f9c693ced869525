import { encodeJson } from '../../../apimachinery/encoding/json.js';
import type { Exchange } from '../../httpexchange.js';
import { NO_SNIFFING } from '../../responsewriters/send.js';
import { answerEarly } from '../rejectearly.js';
import type { Fault } from './requestform.js';

const REASONS: Readonly<Record<Fault['code'], string>> = {
  400: 'BadRequest',
  417: '',
  431: 'RequestHeaderFieldsTooLarge',
  505: '',
};

/** Answers with a Status, without authentication and audit, as nobody knows what was meant. */
export function refuseRequest(exchange: Exchange, { code, message }: Fault): void {
  const reason = REASONS[code];
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason !== '' && { reason }),
    code,
  };
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-cache, private',
    [NO_SNIFFING.name]: NO_SNIFFING.value,
  };
  answerEarly(exchange, code, headers, Buffer.from(`${encodeJson(status)}\n`));
}
