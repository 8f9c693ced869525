// Which parts of the program may import which (ARCHITECTURE.md, "Layers"): dependencies point one way.

/** The product: nothing of the generic API server below imports it. */
export const UPPER = ['pkg/management', 'pkg/agent', 'pkg/tunnel', 'api/management.svc.example'];

const FIRST = ['api', 'pkg/apimachinery'];
const STORED = [...FIRST, 'pkg/storage', 'pkg/cache', 'pkg/tracing', 'pkg/registry'];
const GUARDS = ['pkg/admission', 'pkg/authentication', 'pkg/authorization'];
const GENERIC = [
  ...STORED,
  ...GUARDS,
  'pkg/audit',
  'pkg/clusteridentity',
  'pkg/controllers',
  'pkg/hostclient',
  'pkg/pki',
  'pkg/server',
];

/** Of each layer, besides itself. */
export const LAYERS = {
  api: [],
  'pkg/apimachinery': ['api'],
  'pkg/tracing': FIRST,
  'pkg/hostclient': [...FIRST, 'pkg/tracing'],
  'pkg/pki': [...FIRST, 'pkg/hostclient'],
  'pkg/storage': [...FIRST, 'pkg/hostclient'],
  'pkg/cache': [...FIRST, 'pkg/storage'],
  'pkg/registry': STORED,
  'pkg/admission': [...STORED, ...GUARDS],
  'pkg/authentication': [...STORED, ...GUARDS, 'pkg/hostclient', 'pkg/pki'],
  'pkg/authorization': [...STORED, ...GUARDS, 'pkg/hostclient'],
  'pkg/audit': ['pkg/apimachinery'],
  'pkg/clusteridentity': [...STORED, 'pkg/authentication', 'pkg/pki'],
  'pkg/controllers/client': [...STORED, 'pkg/controllers', 'pkg/hostclient'],
  'pkg/controllers': FIRST,
  'pkg/server': [...STORED, ...GUARDS, 'pkg/audit', 'pkg/clusteridentity', 'pkg/hostclient'],
  'pkg/management': GENERIC,
  'pkg/agent': [
    'pkg/management',
    ...FIRST,
    'pkg/authentication',
    'pkg/authorization',
    'pkg/hostclient',
    'pkg/server',
  ],
  'pkg/tunnel': ['api', 'pkg/apimachinery', 'pkg/authentication', 'pkg/agent', 'pkg/server'],
};

/** Of commands that do not put the whole server together: a client of its API, a page in browsers, an agent without a store. */
export const COMMANDS = {
  'cmd/platform': ['api', 'pkg/apimachinery', 'pkg/management', 'pkg/server'],
  'cmd/console': ['api'],
  'cmd/agent': ['api', 'pkg/apimachinery', 'pkg/agent', 'pkg/hostclient', 'pkg/pki', 'pkg/server'],
};
