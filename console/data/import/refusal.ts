// What a person has to know before anything can go on, as a sentence.

export class Refusal extends Error {}
