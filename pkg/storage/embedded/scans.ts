/** Reads of ranges, each of one state. */
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import type { KeyRange, ScanResult, StoredRecord } from '../interface.js';
import { pageAt } from './state.js';
import type { Tables } from './tables.js';

const MIB = 1024 * 1024;
/** The most records that are read in one turn of the event loop. */
const PAGE_RECORDS = 500;
const PAGE_BYTES = 2 * MIB;

export interface Scans {
  /** At most `limit` records as of `revision`. Rejects with the error of `checkOpen`. */
  scan(range: KeyRange, revision: number, limit: number): Promise<ScanResult>;
  /** The oldest revision of the reads in flight; Infinity: there are none. */
  oldestInUse(): number;
}

/** `checkOpen` is called before each page. */
export function openScans(tables: Tables, checkOpen: () => void): Scans {
  const inFlight = new Set<{ readonly revision: number }>();
  return {
    async scan(range, revision, limit) {
      const at = { revision };
      const records: StoredRecord[] = [];
      inFlight.add(at);
      try {
        let start: string | undefined = range.start;
        while (start !== undefined && records.length < limit) {
          if (start !== range.start) await nextTurn();
          checkOpen();
          const most = Math.min(PAGE_RECORDS, limit - records.length);
          const page = pageAt(tables, { start, end: range.end }, revision, most, PAGE_BYTES);
          records.push(...page.records);
          start = page.next;
        }
        return { revision, records, more: start !== undefined };
      } finally {
        inFlight.delete(at);
      }
    },
    oldestInUse: () => Math.min(...[...inFlight].map((one) => one.revision), Infinity),
  };
}
