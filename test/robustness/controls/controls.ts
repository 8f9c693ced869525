/** Each control is one bug that a server might have. */
import type { Control } from './control.js';

const WRITER = 'pkg/storage/embedded/writer.ts';
const WATCH_STREAM = 'pkg/server/watch/watchstream.ts';
const QUEUED = `      this.queue.push({ event, type });
`;

export const CONTROLS: readonly Control[] = [
  {
    name: 'answers a commit before it is on disk',
    file: WRITER,
    text: `    await this.write(plan, compaction, bytes, forget);
    this.publish(plan, compaction);
    settle(admitted, plan);
`,
    replacement: `    this.publish(plan, compaction);
    settle(admitted, plan);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await this.write(plan, compaction, bytes, forget);
`,
    found: ['linearizable', 'faithful'],
    engine: 'embedded',
    faults: /kill server/,
  },
  {
    name: 'reads a record whose checksum is wrong',
    file: 'pkg/storage/embedded/logentry.ts',
    text: '  if (bytes.readUInt32BE(end) !== checksumOf(bytes.subarray(0, end), revision)) return undefined;\n',
    replacement: '',
    found: ['faithful', 'atomic', 'orderly'],
    engine: 'embedded',
    faults: /flip bit/,
  },
  {
    name: 'loses a damaged record without a word',
    file: 'pkg/cache/store/epoch.ts',
    text: '    return this.undecryptableOf.get(resource) ?? NONE;\n',
    replacement: '    return NONE;\n',
    found: ['orderly', 'atomic'],
    engine: 'embedded',
    faults: /flip bit/,
  },
  {
    name: 'updates whatever version there is',
    file: 'pkg/registry/generic/preconditions.ts',
    text: '  if (wanted !== revision) throw staleResourceVersion(definition, request.name);\n',
    replacement: '',
    found: ['linearizable'],
    engine: 'embedded',
  },
  {
    name: 'deletes whatever version there is',
    file: 'pkg/registry/generic/delete.ts',
    text: "  check('ResourceVersion', preconditions?.resourceVersion, String(live.revision), 'modified');\n",
    replacement: '',
    found: ['linearizable'],
    engine: 'embedded',
  },
  {
    name: 'repeats a patch on the object from before',
    file: 'pkg/registry/transaction/guaranteedupdate.ts',
    text: '  return { ...state, live, certain: true };\n}\n\n/** The error for an object that cannot',
    replacement: `  const old = state.live;
  const stale =
    old && live && entryOf(namespace, written, live.revision, store.codec.restamp(old.bytes, old.revision, live.revision));
  return { ...state, live: stale ?? live, certain: true };
}

/** The error for an object that cannot`,
    found: ['linearizable'],
    engine: 'embedded',
  },
  {
    name: 'answers an update with the revision before',
    file: 'pkg/registry/generic/updateresult.ts',
    text: 'removed ? live.revision : revision)',
    replacement: 'removed ? live.revision : revision - 1)',
    found: ['faithful', 'linearizable'],
    engine: 'embedded',
  },
  {
    name: 'leaves an object out of a list',
    file: 'pkg/registry/generic/list.ts',
    text: '      yield entry;\n      taken += 1;\n',
    replacement: '      if (Math.random() < 0.02) continue;\n      yield entry;\n      taken += 1;\n',
    found: ['atomic'],
    engine: 'embedded',
  },
  {
    name: 'loses one of a hundred events',
    file: WATCH_STREAM,
    text: QUEUED,
    replacement: `      if (Math.random() < 0.01) continue;
${QUEUED}`,
    found: ['reliable'],
    engine: 'embedded',
  },
  {
    name: 'sends one of a hundred events twice',
    file: WATCH_STREAM,
    text: QUEUED,
    replacement: `${QUEUED}      if (Math.random() < 0.01) this.queue.push({ event, type });
`,
    found: ['unique'],
    engine: 'embedded',
  },
  {
    name: 'sends an event after the next one',
    file: WATCH_STREAM,
    text: QUEUED,
    replacement: `      const self = this as unknown as { held?: Pending };
      if (self.held === undefined && Math.random() < 0.02) {
        self.held = { event, type };
        continue;
      }
${QUEUED}      if (self.held !== undefined) this.queue.push(self.held);
      self.held = undefined;
`,
    found: ['ordered'],
    engine: 'embedded',
  },
  {
    name: 'goes on one revision too late',
    file: WATCH_STREAM,
    text: '      { after, prefix, repeats: state',
    replacement: '      { after: after + 1, prefix, repeats: state',
    found: ['resumable'],
    engine: 'embedded',
  },
  {
    name: 'sends bookmarks ahead of events',
    file: WATCH_STREAM,
    text: '      const revision = this.plan.store.cache.revision();\n',
    replacement: '      const revision = this.plan.store.cache.revision() + 20;\n',
    found: ['bookmarkable'],
    engine: 'embedded',
  },
  {
    name: 'tells a new object as a change',
    file: 'pkg/server/watch/watchencoder.ts',
    text: "  if (after) return before ? 'MODIFIED' : 'ADDED';\n",
    replacement: "  if (after) return 'MODIFIED';\n",
    found: ['faithful'],
    engine: 'embedded',
  },
  {
    name: 'reads what may be old from memory',
    file: 'pkg/registry/generic/get.ts',
    text: '    return (await revision.waitFor(store.cache, REACH_TIMEOUT)) ? store.cache.latest() : undefined;\n',
    replacement: '    return store.cache.latest();\n',
    found: ['linearizable'],
    engine: 'etcd',
    faults: /partition/,
  },
  {
    name: 'goes on too late after its watch of etcd was cut',
    file: 'pkg/storage/etcd/watch/watchmux.ts',
    text: '        start: () => this.delivered + 1,\n',
    replacement: '        start: () => this.delivered + 4,\n',
    found: ['reliable'],
    engine: 'etcd',
    faults: /cut connections/,
  },
  {
    name: 'takes a commit that was not answered for one that was not done',
    file: 'pkg/storage/etcd/commit/batchsender.ts',
    text: "    if (!withRecord) throw unavailable(cause, 'unknown');\n",
    replacement: "    return 'nothing done';\n",
    found: ['linearizable'],
    engine: 'etcd',
    faults: /lose answers/,
  },
];
