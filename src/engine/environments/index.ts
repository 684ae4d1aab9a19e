/** Every control environment, by its id. To add one: a file in this folder and a line here. */
import { bandit } from './bandit';
import { CLASSIC } from './classic';
import { cliffWalking } from './cliff-walking';
import type { ControlEnvironment } from './environment';
import { frozenLake } from './frozen-lake';
import { minigrid } from './grid';
import { mdpFromTable } from './mdp';
import { taxi } from './taxi';

export const ENVIRONMENTS: Readonly<Record<string, ControlEnvironment>> = Object.fromEntries(
  [...CLASSIC, minigrid, frozenLake, cliffWalking, taxi, mdpFromTable, bandit].map((environment) => [
    environment.id,
    environment,
  ]),
);
