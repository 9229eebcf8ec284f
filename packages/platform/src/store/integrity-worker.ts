import { DatabaseSync } from 'node:sqlite';

/** The most faults that one check reports. */
const maxFaults = 100;

const faultsOf = (path: string): string[] => {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const checked = connection.prepare(`pragma integrity_check(${maxFaults})`).all();
    const faults = checked.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok');
    const orphans = connection.prepare('pragma foreign_key_check').all().slice(0, maxFaults);
    return [
      ...faults,
      ...orphans.map(({ table, parent }) => `A row of ${table} refers to a missing row of ${parent}.`),
    ];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    connection.close();
  }
};

const [, , path] = process.argv;
if (process.send !== undefined && path !== undefined) process.send(faultsOf(path));
