import { InvalidArgumentError } from 'commander';

export const portNumber = (text: string): number => {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('Enter a number from 0 to 65535.');
  return port;
};

/** An empty name would mean the current folder; usually it comes from a variable that is not set. */
export const folderName = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('Enter the name of a folder; the current folder is ".".');
  return text;
};

export const seedNumber = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Enter a whole number of at most nine digits.');
  return Number(text);
};

export const speedNumber = (text: string): number => {
  const speed = Number(text);
  if (!(speed >= 1 && speed <= 1_000)) throw new InvalidArgumentError('Enter a number from 1 to 1000.');
  return speed;
};

export const hoursNumber = (text: string): number => {
  const hours = Number(text);
  if (!(hours >= 1 && hours <= 168)) throw new InvalidArgumentError('Enter a number from 1 to 168.');
  return hours;
};

export const unitCount = (text: string): number => {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count > 200) throw new InvalidArgumentError('Enter a number from 0 to 200.');
  return count;
};

export const databaseUrl = (text: string): string => {
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new InvalidArgumentError('Enter an address such as postgres://lcs@db.example.org/lcs.');
  return text;
};

export const listed = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
