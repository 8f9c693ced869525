/** Pruning against what Go's strict decoder finds in the same documents. */
import { describe, expect, test } from '@jest/globals';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import type { KubeObject } from '../../../api/resource.js';
import { readVectors } from '../../../test/vectors/read.js';
import { compileSchema } from './compile.js';
