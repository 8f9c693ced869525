/**
 * Connections that change their protocol: tunnels, and upgrades through them. The server handles all others
 * itself.
 */
import { agentUpgrade } from '../agent/upgrade.js';
import type { ListenerOptions } from '../server/listener/listener.js';
import { requestInfo } from '../server/requestinfo.js';
import { upgradeExchange } from '../server/listener/upgradeexchange.js';
import { isTunnel } from './accept.js';
import { readClusterPath } from './clusterpaths.js';

export const tunnelUpgrade: NonNullable<ListenerOptions['upgrades']> = (request, socket, head) => {
  const { url = '', method = '' } = request;
  const passed = readClusterPath(url) !== undefined || isTunnel(requestInfo(method, url));
  return passed ? agentUpgrade(request, socket, head) : upgradeExchange(request, socket, head);
};
