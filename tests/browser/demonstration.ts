import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, leaderApi, unitOutcomes, waitForTask } from '@lcs/contract';
import { profileLibrary } from '@lcs/domain';
import { realClock } from '@lcs/platform';
import { type NodeProcess, startDemoProcess } from '@lcs/testkit';

/** The experiment of a demonstration. */
export const experiment = 'yeast-batch-demo';

/**
 * A demonstration in which each page has something to show: beside the past of `lcs demo` an earlier experiment that has ended, a
 * unit that doses, notes, a sample, alarms, a saved profile and its run, groups of replicates.
 */
export async function startFullDemonstration(
  dataFolder: string,
  { units = 3, pastHours = 24 } = {},
): Promise<NodeProcess> {
  // Nothing of a demonstration asks the internet.
  await mkdir(dataFolder, { recursive: true });
  await writeFile(join(dataFolder, 'leader.ini'), '[plugins]\nindex_url=off\n');
  const demo = await startDemoProcess({ dataFolder, units, pastHours });
  const client = createClient(leaderApi, { baseUrl: demo.url });
  const clock = realClock();
  const finished = (accepted: Parameters<typeof waitForTask>[1]) =>
    waitForTask(demo.url, accepted, { sleep: (ms) => clock.sleep(ms) });
  const params = { experiment };

  await client.createExperiment({ body: { experiment: 'yeast-batch-first', description: 'Trial of the medium.' } });
  await client.createNote({ params, body: { text: 'Inoculated from the plate of Monday' } });
  await client.createNote({
    params,
    body: { kind: 'sample_taken', reactor_unit: 'unit2', volume_ml: 0.5, text: 'For the microscope' },
  });
  const automation = {
    automation_name: 'turbidostat',
    target_biomass: 0.05,
    exchange_volume_ml: 0.5,
    biomass_signal: 'od',
  };
  const ended = await finished(
    await client.runWorkerJob({
      params: { reactor_unit: 'unit2', job: 'dosing_automation', experiment },
      body: { options: automation, confirm_dilution: true },
    }),
  );
  const outcome = unitOutcomes(ended).get('unit2');
  if (!outcome?.ok) throw new Error(`unit2 does not dose: ${JSON.stringify(outcome ?? ended)}`);
  await client.updateAlarmRule({
    params: { rule: 'temperature_out_of_range' },
    body: { is_enabled: true, parameters: { high: 20, on_delay_s: 0 } },
  });
  const [first] = profileLibrary;
  if (first === undefined) throw new Error('There is no library of profiles.');
  await client.createExperimentProfile({ body: { filename: first.filename, body: first.text } });
  return demo;
}
