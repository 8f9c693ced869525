/** A store that is lost, older, or another one: nobody loses a namespace, and nobody is told that there is nothing. */
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { wrongStoresAreRefused } from '../../fixtures/host/wrongstores.js';

wrongStoresAreRefused(NEWEST_HOST);
