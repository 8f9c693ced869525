import { dirname, resolve } from 'node:path';
import { parseYamlFile } from '../../../pkg/apimachinery/encoding/yaml/yamlfile.js';
import type { WorkloadIssuer } from '../../../pkg/management/login/workload/interface.js';
import { parseWorkloadConfig } from '../../../pkg/management/login/workload/parseconfig.js';
import { parseFlagFile, readFlagFile } from './flagfiles.js';
import type { Options } from './options.js';

const FLAG = 'workload-identity-config';

/** Empty: workload tokens are not exchanged. Paths in the file are relative to it. Throws StartError. */
export function workloadOf({ workloadIdentityConfig: path }: Options): readonly WorkloadIssuer[] {
  if (path === undefined) return [];
  const read = (named: string): string => readFlagFile(FLAG, resolve(dirname(path), named));
  return parseFlagFile(FLAG, path, (text) => parseWorkloadConfig(parseYamlFile(text), read));
}
