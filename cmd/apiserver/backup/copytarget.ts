import { join, resolve } from 'node:path';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import type { StorageConfig } from '../../../pkg/management/upkeep/storageconfig.js';
import { endpoints, keyPrefix } from '../options/flags/values.js';
import type { OwnTexts } from '../options/options.js';
import { parsed, TO_PREFIX_FLAG } from './flags.js';

/** The target of `store copy`, from the `--to-…` flags. Throws StartError. */
export function targetOf(text: OwnTexts): StorageConfig {
  const [directory, servers] = [text('to-data-dir'), text('to-etcd-servers')];
  if ((directory === undefined) === (servers === undefined))
    throw new StartError('store copy: give either --to-data-dir or --to-etcd-servers');
  if (directory !== undefined) return { engine: 'embedded', directory: join(resolve(directory), 'store') };
  const [certFile, keyFile] = [text('to-etcd-certfile'), text('to-etcd-keyfile')];
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new StartError('--to-etcd-certfile and --to-etcd-keyfile must be given together');
  return {
    engine: 'etcd',
    endpoints: parsed(text, { name: 'to-etcd-servers' }, endpoints),
    prefix: parsed(text, TO_PREFIX_FLAG, keyPrefix),
    caFile: text('to-etcd-cafile'),
    certFile,
    keyFile,
  };
}
