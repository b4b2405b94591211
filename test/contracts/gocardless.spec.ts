import { exercisePsp } from './exercise-psp.js';
import { gocardlessSubject } from './gocardless-subject.js';

exercisePsp('gocardless', gocardlessSubject);
