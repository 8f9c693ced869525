/** Everything that is neither a resource request nor health, as an Express application. */
import express, { type Express, type Request, type Response } from 'express';
import http2Express from 'http2-express';
import type { ResourceDefinition } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { badRequest } from '../../apimachinery/errors.js';
import { encodePretty } from '../../apimachinery/encoding/json.js';
import { routeCrdList } from './crdlist.js';
import { type DebugRoutes, routeDebug } from './debug.js';
import { routeDocs } from './docs/routes.js';
import type { DocsFiles } from './docs/site.js';
import { routeDiscovery, type DiscoveryDocuments } from './discovery.js';
import { servedUrl, type Handler } from '../httpexchange.js';
import type { HealthEndpoint } from './health.js';
import { nodeObjects } from './http2objects.js';
import { indexPaths } from './indexpaths.js';
import { routeIssuerMetadata, type IssuerMetadata } from './issuermetadata.js';
import type { Metrics } from '../metrics/metrics.js';
import { routeOpenapi, type OpenapiDocuments } from './openapi.js';
import { splitUrl } from '../requestinfo.js';
import { routeOwnerGraph, type OwnerGraph } from './ownergraph.js';
import { pathNotFound, readable, rememberExchange, sendDocument } from './routes.js';
import { versionInfo } from '../version.js';
import { type FlagTexts, routeZpages } from './zpages.js';

export interface ExpressDependencies {
  readonly definitions: readonly ResourceDefinition[];
  readonly discovery: DiscoveryDocuments;
  readonly openapi: OpenapiDocuments;
  readonly health: readonly HealthEndpoint[];
  readonly metrics: Pick<Metrics, 'read'>;
  readonly issuer: IssuerMetadata;
  /** Those of this process, for `/flagz`. */
  readonly flags: FlagTexts;
  /** Adds the routes of the server's features; absent: there are none. */
  readonly addRoutes?: (app: Express) => Promise<void>;
  /** Undefined: the documentation is not served. */
  readonly docs?: DocsFiles | undefined;
  /** Undefined: the server is not examined. */
  readonly debug?: DebugRoutes | undefined;
  /** Absent, or answering undefined: no garbage collector runs here. */
  readonly ownerGraph?: OwnerGraph;
}

/**
 * Serves these paths over HTTP/1.1 and HTTP/2. Unlike other handlers it rejects with a StatusError, before anything is
 * sent, if the answer is a `Status`.
 */
export async function createApplication(dependencies: ExpressDependencies): Promise<Handler> {
  const app = await createApp(dependencies);
  return (exchange) =>
    new Promise<void>((resolve, reject) => {
      const { end } = exchange;
      // A stream after a reset has no session, by which the bridge distinguishes HTTP/2 from HTTP/1.1.
      const { stream } = exchange.request;
      if (end.over || stream?.destroyed === true) return resolve();
      end.after(resolve);
      const { request, response } = nodeObjects(exchange);
      rememberExchange(request, exchange);
      const { path, query } = splitUrl(servedUrl(exchange));
      request.url = query === '' ? path : `${path}?${query}`;
      // Express makes them its own kind when it gets them.
      app(request as Request, response as Response, (error: unknown) => reject(asStatus(error)));
    });
}

async function createApp(dependencies: ExpressDependencies): Promise<Express> {
  const app = http2Express(express);
  app.disable('x-powered-by');
  app.disable('etag');
  // The bridge to HTTP/2 has made the router already, so that a setting would come too late.
  Object.assign(app.router, { caseSensitive: true });
  app.set('query parser', 'simple');
  routeDiscovery(app, dependencies.discovery);
  routeOpenapi(app, dependencies.openapi);
  routeCrdList(app);
  const version = Buffer.from(encodePretty(versionInfo()));
  readable(app, '/version', (_request, response) => sendDocument(response, 'application/json', version));
  readable(app, '/metrics', async ({ headers }, response) => {
    const { contentType, text } = await dependencies.metrics.read(headers.accept);
    response.setHeader('Content-Type', contentType);
    response.end(text);
  });
  routeIssuerMetadata(app, dependencies.issuer);
  await dependencies.addRoutes?.(app);
  routeDocs(app, dependencies.docs);
  routeOwnerGraph(app, dependencies.ownerGraph);
  routeDebug(app, dependencies.debug);
  const paths = indexPaths(dependencies);
  routeZpages(app, paths, dependencies.flags);
  const index = Buffer.from(encodePretty({ paths }));
  for (const path of ['/', '/index.html'])
    readable(app, path, (_request, response) => sendDocument(response, 'application/json', index));
  app.use((_request: Request, response: Response) => pathNotFound(response));
  return app;
}

/** Express sets a 4xx status for client errors (a path that does not decode). */
function asStatus(error: unknown): unknown {
  const status = membersOf(error).status;
  return status === 400 ? badRequest('the request path is not valid') : error;
}
