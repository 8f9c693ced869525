/**
 * There are no CustomResourceDefinitions here, and discovery names none. kubectl asks for their list all the same when a
 * manifest has a kind that OpenAPI does not, and any other answer hides its own message: `no matches for kind`.
 */
import type { Express, Request, Response } from 'express';
import { encodeJson } from '../../apimachinery/encoding/json.js';
import { sendDocument } from './routes.js';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const NONE = Buffer.from(
  encodeJson({
    kind: 'CustomResourceDefinitionList',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { resourceVersion: '' },
    items: [],
  }),
);

/** Other methods, and watches, are 404, as all of the group is. */
export function routeCrdList(app: Express): void {
  app.get(PATH, ({ query }: Request, response: Response, next) => {
    if (query.watch === undefined) sendDocument(response, 'application/json', NONE);
    else next();
  });
}
