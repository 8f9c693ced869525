// Which parts of the program may import which (ARCHITECTURE.md, "Layers"): dependencies point one way.

const CORE = [
  'api',
  'pkg/apimachinery',
  'pkg/storage',
  'pkg/cache',
  'pkg/management',
  'pkg/clusterclient',
  'pkg/tracing',
  'pkg/registry',
];
const GUARDS = ['pkg/admission', 'pkg/authentication', 'pkg/authorization'];

/** Of each layer, besides itself. */
export const LAYERS = {
  api: [],
  'pkg/apimachinery': CORE.slice(0, 1),
  'pkg/hostclient': [...CORE.slice(0, 2), 'pkg/tracing'],
  'pkg/tracing': CORE.slice(0, 2),
  'pkg/clusterclient': CORE.slice(0, 2),
  'pkg/management': CORE.slice(0, 2),
  'pkg/pki': [...CORE.slice(0, 2), 'pkg/hostclient'],
  'pkg/storage': [...CORE.slice(0, 2), 'pkg/hostclient'],
  'pkg/cache': CORE.slice(0, 3),
  'pkg/registry': CORE.slice(0, 7),
  'pkg/admission': [...CORE, ...GUARDS],
  'pkg/authentication': [...CORE, ...GUARDS, 'pkg/hostclient', 'pkg/pki'],
  'pkg/authorization': [...CORE, ...GUARDS, 'pkg/hostclient'],
  'pkg/audit': ['pkg/apimachinery'],
  'pkg/login': CORE,
  'pkg/clusteridentity': [...CORE, ...GUARDS, 'pkg/pki'],
  'pkg/controllers': ['api', 'pkg/apimachinery', 'pkg/management', 'pkg/clusterclient'],
  'pkg/server': [...CORE, ...GUARDS, 'pkg/audit', 'pkg/clusteridentity', 'pkg/hostclient', 'pkg/login'],
  'pkg/agent': [
    'api',
    'pkg/apimachinery',
    'pkg/management',
    'pkg/authentication',
    'pkg/authorization',
    'pkg/clusterclient',
    'pkg/hostclient',
    'pkg/server',
  ],
  'pkg/tunnel': ['pkg/apimachinery', 'pkg/authentication', 'pkg/agent', 'pkg/server'],
};

/** Of commands that do not put the whole server together: a client of its API, a page in browsers, an agent without a store. */
export const COMMANDS = {
  'cmd/platform': ['api', 'pkg/apimachinery', 'pkg/server'],
  'cmd/console': ['api'],
  'cmd/agent': ['api', 'pkg/apimachinery', 'pkg/agent', 'pkg/hostclient', 'pkg/pki', 'pkg/server'],
};
