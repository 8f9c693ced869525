import { parseYamlFile } from '../../../pkg/apimachinery/encoding/yaml/yamlfile.js';
import { parseTracingConfig, type TracingConfig } from '../../../pkg/tracing/config.js';
import { parseFlagFile } from './flagfiles.js';
import type { Options } from './options.js';

/** Undefined: requests are not traced. Throws StartError. */
export const tracingOf = ({ tracingConfigFile: path }: Options): TracingConfig | undefined =>
  path === undefined
    ? undefined
    : parseFlagFile('tracing-config-file', path, (text) => parseTracingConfig(parseYamlFile(text)));
