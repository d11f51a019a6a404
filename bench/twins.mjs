// 40,000 generated requests to each of two orgs that are the same to a narrow key and differ in what is hidden from it:
// records, types, properties, links, users, keys. Every answer must be the same in both, while others work in one of them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startService } from './support.mjs';

const count = Number(process.env.SOAK_TWINS ?? 40_000);

export async function runTwinPart({ Client, createSides, Random, runTwins }, { folder, program, seed }) {
  const service = await startService(join(folder, 'twins'), program);
  try {
    const administration = administrationOf(service, folder, (key) => new Client(service.url, key));
    const sides = await createSides(administration, new Random(seed));
    const onProgress = (sent, findings) => process.stderr.write(`${sent} twin requests, ${findings} findings\n`);
    const began = performance.now();
    const { findings, hiddenWork, ...numbers } = await runTwins({ sides, count, seed, onProgress });
    const seconds = Math.round((performance.now() - began) / 1_000);
    const hidden = { hidden_records: sides.map((side) => side.hiddenIds.length), hidden_work: hiddenWork };
    return { findings, numbers: { ...numbers, ...hidden, seconds } };
  } finally {
    await service.stop();
  }
}

/** What an operator does, by commands. */
function administrationOf(service, folder, client) {
  const ofOrg = (orgId) => ['--org', String(orgId)];
  return {
    client,
    createOrg: async ({ quota, windowSeconds }) =>
      (await service.orrery('org', 'create', 'Twin', '--rate-limit', `${quota}/${windowSeconds}`)).org_id,
    createUser: async (orgId) => (await service.orrery('user', 'create', ...ofOrg(orgId), '--name', 'Ada')).user_id,
    createKey: async (orgId, { userId, reach, grants = [] }) => {
      const words = [
        ...(userId === undefined ? [] : ['--user', userId]),
        ...(reach === undefined ? [] : ['--reach', reach]),
        ...grants.flatMap((grant) => ['--grant', grantText(grant)]),
      ];
      const { key, key_id: credentialId } = await service.orrery('key', 'create', ...ofOrg(orgId), ...words);
      return { key, credentialId };
    },
    applySchema: async (orgId, file) => {
      const path = join(folder, 'twin-schema.json');
      await writeFile(path, JSON.stringify(file));
      await service.orrery('schema', 'apply', ...ofOrg(orgId), path);
    },
  };
}

function grantText({ objectTypes, operations, hiddenProperties = [], lockedProperties = [] }) {
  const hide = hiddenProperties.length === 0 ? '' : `;hide=${hiddenProperties.join()}`;
  const lock = lockedProperties.length === 0 ? '' : `;lock=${lockedProperties.join()}`;
  return `${objectTypes.join()}:${operations.join()}${hide}${lock}`;
}
