import { isPostgresInstalled } from '@lcs/platform/testing';
import { postgresOf, temporaryFolder } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';
import { answerAt, ControlPair, type End } from './control-pair.ts';
import { expectAllStored, experiment, freePort, startUnits } from './measuring-units.ts';

/** A short run belongs to every test run; more take-overs: `LCS_CONTROL_KILLS=20 npx vitest run tests/cluster/control`. */
const takeOvers = Number(process.env.LCS_CONTROL_KILLS ?? 2);
/** Of the simulated units, each in a process. */
const unitCount = Number(process.env.LCS_CONTROL_UNITS ?? 1);
const longestTakeOverMs = 10_000;
/** On a busy machine. */
const patient = { timeout: 20_000, interval: 20 };

it.skipIf(!isPostgresInstalled)(
  `a standby takes over ${takeOvers} times: no reading is lost or stored twice`,
  async () => {
    await using folder = await temporaryFolder('control');
    const dataFolder = `${folder.path}/control`;
    const { url: database } = await postgresOf(dataFolder);
    const mqttPort = await freePort();
    await using pair = await ControlPair.start({ dataFolder, database, mqttPort });
    await using units = await startUnits(pair.active.url, folder.path, mqttPort, unitCount);
    const { ledgers } = units;
    for (const ledger of ledgers) ledger.open();
    const tookMs: number[] = [];
    for (let round = 0; round < takeOvers; round += 1) {
      if (round > 0) await pair.nextStandby();
      const label = `take-over ${round}`;
      expect(await answerAt(pair.standby, '/healthz'), label).toMatchObject({ status: 200 });
      for (const path of ['/readyz', '/api/experiments', '/'])
        expect(await answerAt(pair.standby, path), label).toEqual({ status: 503, code: 'control_standby' });
      const end: End = round % 2 === 0 ? 'killed' : 'cut off';
      expect(await answerAt(pair.api, '/unit_api/health'), label).toMatchObject({ status: 200 });
      const taken = await pair.takeOver(end);
      tookMs.push(taken.tookMs);
      expect(taken.tookMs, label).toBeLessThan(longestTakeOverMs);
      expect(await taken.ended, label).toEqual(
        end === 'killed' ? { code: null, signal: 'SIGKILL' } : { code: 1, signal: null },
      );
      await vi.waitFor(async () => {
        const answer = await answerAt(pair.api, '/unit_api/health');
        // Meanwhile there is one error.
        if (answer.status !== 200) expect(answer, label).toEqual({ status: 503, code: 'control_away' });
        expect(answer.status, label).toBe(200);
      }, patient);
      // A change of the new active process.
      await pair.client.updateExperiment({ params: { experiment }, body: { description: label } });
      for (const ledger of ledgers) ledger.read();
    }
    process.stdout.write(`take-overs: ${tookMs.map((ms) => `${Math.round(ms)} ms`).join(', ')}\n`);

    const { client } = pair;
    await expectAllStored(pair.active.url, { folder: folder.path, database, ledgers });
    expect(await client.verifyAudit({ query: {} })).toMatchObject({ is_intact: true });
    const [found] = await client.listExperiments();
    expect(found?.description).toBe(`take-over ${takeOvers - 1}`);
  },
  120_000 + takeOvers * 30_000,
);
