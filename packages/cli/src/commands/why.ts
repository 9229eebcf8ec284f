import { type ActuatedOutput, type Actuation, actuatedOutputs } from '@lcs/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { expectKnownNames } from '../current-experiment.ts';
import { printable, printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';

interface WhyOptions extends ConnectionOptions {
  readonly output?: ActuatedOutput;
  readonly lines: number;
}

function output(text: string): ActuatedOutput {
  const found = actuatedOutputs.find((one) => one.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw new InvalidArgumentError(`Enter one of ${actuatedOutputs.join(', ')}.`);
  return found;
}

function lineCount(text: string): number {
  const lines = Number(text);
  if (!Number.isInteger(lines) || lines < 1 || lines > 1000)
    throw new InvalidArgumentError('Enter a number from 1 to 1000.');
  return lines;
}

/** The newest actuations, oldest first. */
async function newest(leader: Connected, unit: string, options: WhyOptions): Promise<Actuation[]> {
  const query = { limit: options.lines, ...(options.output === undefined ? {} : { output: options.output }) };
  return (await leader.listWorkerActuations({ params: { reactor_unit: unit }, query })).reverse();
}

/** `lcs why`: what a unit drove last, and why, newest last. */
export function addWhyCommand(program: Command, io: ProgramIo): void {
  withConnection(program.command('why').description('what a unit drove, and why, newest last').argument('<unit>'), io)
    .option('--output <output>', `only of this one: ${actuatedOutputs.join(', ')}`, output)
    .option('-n, --lines <n>', 'how many', lineCount, 20)
    .action(async (unit: string, options: WhyOptions) => {
      const leader = connect(options);
      const actuations = await newest(leader, unit, options);
      if (actuations.length === 0) await expectKnownNames(leader, { unit });
      for (const actuation of actuations) {
        if (options.json) printJson(io, actuation);
        else io.stdout.write(`${printable(`${actuation.timestamp} ${actuation.reactor_unit} ${actuation.why}`)}\n`);
      }
      if (actuations.length === 0 && !options.json) io.stdout.write('No actuations.\n');
    });
}
