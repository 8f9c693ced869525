import type { Endpoint } from '../client.js';

/** Names as `--targets` takes them, in the order of the table's columns. */
export const TARGET_NAMES = ['embedded', 'etcd', 'kube-apiserver', 'floor'] as const;
export type TargetName = (typeof TARGET_NAMES)[number];
/** Those that are this project's server. */
export type OwnName = 'embedded' | 'etcd';
export const isOwn = (name: string): name is OwnName => name === 'embedded' || name === 'etcd';

/** A server under load, with SharedSecret served and an administrator's token. */
export interface Target {
  readonly name: TargetName;
  readonly endpoint: Endpoint;
  readonly pid: number;
  /** Of its etcd, where it has one. */
  readonly storePid?: number;
  /** Where that etcd is. */
  readonly storeUrl?: string;
  /** From the start of the process (with etcd already running) to the first 200 of /readyz. */
  readonly readySeconds: number;
  /** What V8 has allocated so far on its heap, in bytes; absent: nobody tells. */
  readonly allocatedBytes?: () => number;
  /** Whether it says in /metrics how long its event loop was blocked. */
  readonly eventLoop: boolean;
  stop(): Promise<void>;
}

/** What a target is started with. */
export interface TargetOptions {
  /** An empty folder of its own. */
  readonly folder: string;
  /** Where our servers leave CPU profiles of each row; absent: none are taken. */
  readonly profiles?: string;
  /** The `main.js` of our server; absent: the one of this build. */
  readonly program?: string;
  /** The lines of our server's `--token-auth-file`; absent: {@link TOKEN_LINES}. */
  readonly tokens?: string;
  /** Whether our server encrypts what it stores; absent: it does. */
  readonly encrypted?: boolean;
}

export const ADMIN_TOKEN = 'bench-admin-token';
/** Who may do nothing that no binding grants. */
export const MEMBER = 'member';
export const MEMBER_TOKEN = 'bench-member-token';
/** The lines of `--token-auth-file`, which both servers read alike. */
export const TOKEN_LINES = `${ADMIN_TOKEN},admin,admin-uid,"system:masters"\n${MEMBER_TOKEN},${MEMBER},member-uid\n`;
