/** The OpenAPI 3.0 document of `/version`, as Kubernetes has it. */
import { DOCUMENT_INFO, tokenScheme } from './document.js';
import { UNAUTHORIZED } from './payloads.js';
import type { OpenapiSchema } from './schema.js';
import type { OpenapiV3 } from './v3.js';

/** Key of the index. */
export const VERSION_PATH = 'version';

const INFO = 'io.k8s.apimachinery.pkg.version.Info';
/** Of the emulated and the oldest compatible version: servers of Kubernetes before 1.33 have none. */
const OPTIONAL = /^(emulation|minCompatibility)/;

/** Kubernetes describes those of the versions alone. */
const FIELDS: Readonly<Record<string, string>> = {
  buildDate: 'BuildDate is the time of the build, by RFC 3339',
  compiler: 'Compiler is the program that runs the server',
  emulationMajor: 'EmulationMajor is the major version of the emulation version',
  emulationMinor: 'EmulationMinor is the minor version of the emulation version',
  gitCommit: 'GitCommit is the commit of the build',
  gitTreeState: 'GitTreeState is clean or dirty',
  gitVersion: 'GitVersion is the whole version',
  goVersion: 'GoVersion is empty: the server is not written in Go',
  major: 'Major is the major version of the binary version',
  minCompatibilityMajor: 'MinCompatibilityMajor is the major version of the minimum compatibility version',
  minCompatibilityMinor: 'MinCompatibilityMinor is the minor version of the minimum compatibility version',
  minor: 'Minor is the minor version of the binary version',
  platform: 'Platform is the operating system and the architecture',
};

export function versionDocument(): OpenapiV3 {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${INFO}` } } };
  const get = {
    tags: ['version'],
    description: 'get the version information for this server',
    operationId: 'getCodeVersion',
    responses: { 200: { description: 'OK', content }, ...UNAUTHORIZED },
  };
  return {
    openapi: '3.0.0',
    info: { ...DOCUMENT_INFO },
    paths: { '/version/': { get } },
    components: { schemas: { [INFO]: infoSchema() }, securitySchemes: { BearerToken: tokenScheme() } },
  };
}

function infoSchema(): OpenapiSchema {
  const properties = Object.entries(FIELDS).map(([name, description]) => [
    name,
    { description, type: 'string', ...(!OPTIONAL.test(name) && { default: '' }) },
  ]);
  return {
    description: "Info contains versioning information. how we'll want to distribute that information.",
    type: 'object',
    required: Object.keys(FIELDS).filter((name) => !OPTIONAL.test(name)),
    properties: Object.fromEntries(properties),
  };
}
