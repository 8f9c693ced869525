import { warn, type RequestContext } from '../requestcontext.js';

const YAML_HEAD = 'yaml: unmarshal errors:';

/**
 * Warns of strict findings, one warning each. A finding in YAML holds a line for each key: each line becomes a warning
 * (`k8s.io/apiserver/pkg/endpoints/handlers/rest.go`, parseYAMLWarnings).
 */
export function warnOfFindings(call: RequestContext, findings: readonly string[]): void {
  for (const finding of findings) {
    const lines = finding.split('\n').map((line) => line.trim());
    for (const line of lines) if (line !== YAML_HEAD) warn(call, line);
  }
}
