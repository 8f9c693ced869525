/**
 * A lost store, an older one, or that of another cluster: no namespace is deleted, and the server never reports that
 * objects do not exist.
 */
import { OLDEST_HOST } from '../../fixtures/host/hostcluster.js';
import { wrongStoresAreRefused } from '../../fixtures/host/wrongstores.js';

wrongStoresAreRefused(OLDEST_HOST, 'of a server that runs');
