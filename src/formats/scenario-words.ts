/** The words by which scenarios are found: identifiers in files, and their names on the page. */

export const CAPABILITIES = {
  basics: 'Basics',
  reasoning: 'Reasoning',
  'tool-use': 'Tool use',
  memory: 'Memory',
  planning: 'Planning',
  'self-improvement': 'Self-improvement',
  perception: 'Perception',
} as const;
export const FIELDS = {
  search: 'Search',
  code: 'Code',
  mathematics: 'Mathematics',
  interfaces: 'Interfaces',
  'several-agents': 'Several agents',
  embodied: 'Embodied',
  control: 'Control',
} as const;
