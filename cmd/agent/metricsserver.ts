import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AgentMetrics } from '../../pkg/agent/metrics.js';
import { listeningPort } from '../../pkg/apimachinery/listeningport.js';
import type { AddressAndPort } from './flagvalues.js';

export interface MetricsServer {
  readonly port: number;
  close(): void;
}

/**
 * Serves `/metrics` over HTTP, for clients on this machine or in this cluster. Rejects with the system's
 * error.
 */
export async function serveMetrics(
  metrics: AgentMetrics,
  { address, port }: AddressAndPort,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end();
    metrics.read().then(
      ({ contentType, text }) => response.writeHead(200, { 'Content-Type': contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    port: listeningPort(server),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
