/** The OpenAPI 3.0 document of `/version`, as Kubernetes has it. */
import { DOCUMENT_INFO, tokenScheme } from './document.js';
import { UNAUTHORIZED } from './payloads.js';
import type { OpenapiSchema } from './schema.js';
import type { OpenapiV3 } from './v3.js';

/** Key of the index. */
export const VERSION_PATH = 'version';

const INFO = 'io.k8s.apimachinery.pkg.version.Info';
interface Field {
  readonly description: string;
  /** Of the emulated and the oldest compatible version: servers of Kubernetes before 1.33 have none. */
  readonly optional?: true;
}

/** Kubernetes describes those of the versions alone. */
const FIELDS: Readonly<Record<string, Field>> = {
  buildDate: { description: 'BuildDate is the time of the build, by RFC 3339' },
  compiler: { description: 'Compiler is the program that runs the server' },
  emulationMajor: {
    description: 'EmulationMajor is the major version of the emulation version',
    optional: true,
  },
  emulationMinor: {
    description: 'EmulationMinor is the minor version of the emulation version',
    optional: true,
  },
  gitCommit: { description: 'GitCommit is the commit of the build' },
  gitTreeState: { description: 'GitTreeState is clean or dirty' },
  gitVersion: { description: 'GitVersion is the whole version' },
  goVersion: { description: 'GoVersion is empty: the server is not written in Go' },
  major: { description: 'Major is the major version of the binary version' },
  minCompatibilityMajor: {
    description: 'MinCompatibilityMajor is the major version of the minimum compatibility version',
    optional: true,
  },
  minCompatibilityMinor: {
    description: 'MinCompatibilityMinor is the minor version of the minimum compatibility version',
    optional: true,
  },
  minor: { description: 'Minor is the minor version of the binary version' },
  platform: { description: 'Platform is the operating system and the architecture' },
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
  const fields = Object.entries(FIELDS);
  const properties = fields.map(([name, { description, optional = false }]) => [
    name,
    { description, type: 'string', ...(!optional && { default: '' }) },
  ]);
  return {
    description: "Info contains versioning information. how we'll want to distribute that information.",
    type: 'object',
    required: fields.flatMap(([name, { optional = false }]) => (optional ? [] : [name])),
    properties: Object.fromEntries(properties),
  };
}
