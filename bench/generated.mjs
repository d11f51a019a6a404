// 200,000 requests made from the document that the service itself serves: valid, nearly valid and hostile values for every
// operation, parameter, header and body. Eight clients, each in an org of its own, send them; every answer must be one
// that the document declares, and show nothing of the service's inside.
import { join } from 'node:path';
import { startService } from './support.mjs';

const count = Number(process.env.SOAK_REQUESTS ?? 200_000);
const clientCount = 8;

export async function runGeneratedPart({ runGenerated }, { folder, program, seed }) {
  const service = await startService(join(folder, 'generated'), program);
  try {
    const clients = [];
    while (clients.length < clientCount) {
      const { orgId, key: full } = await service.newOrg('Generated');
      const grant = ['--grant', 'svc_contact,svc_company:read,create'];
      const { key: narrow } = await service.orrery('key', 'create', '--org', String(orgId), ...grant);
      clients.push({ full, narrow });
    }
    const onProgress = (sent, findings) => process.stderr.write(`${sent} generated requests, ${findings} findings\n`);
    const began = performance.now();
    const { findings, ...numbers } = await runGenerated({ port: service.port, clients, count, seed, onProgress });
    const seconds = Math.round((performance.now() - began) / 1_000);
    return { findings, numbers: { ...numbers, clients: clientCount, seconds } };
  } finally {
    await service.stop();
  }
}
