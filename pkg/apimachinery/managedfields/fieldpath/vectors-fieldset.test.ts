import { describe } from '@jest/globals';
import { testVectors } from '../../../../test/vectors/table.js';

describe('vectors', () => testVectors('fieldset'));
